"""What every simulator needs: a seeded text grammar and simulated patients."""
