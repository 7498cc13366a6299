"""The commands of ``gym-clinic``: one module a command, a folder where a command has many.

A module declares its command with typer and imports what the command needs when it runs, so that
``gym-clinic --help`` loads none of it.
"""
