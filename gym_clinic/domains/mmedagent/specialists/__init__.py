"""The specialists: how their votes are drawn, how they write, and who else may reply for them."""

from gym_clinic.domains.mmedagent.specialists.opinions import SpecialistReply, plurality
from gym_clinic.domains.mmedagent.specialists.votes import MEMBERS, draw_votes, outside_votes

__all__ = ["MEMBERS", "SpecialistReply", "draw_votes", "outside_votes", "plurality"]
