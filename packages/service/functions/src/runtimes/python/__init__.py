"""Sealway's part of a function: it calls the customer's handler, and seals values for it. Customers' modules must not
import it: it changes with Sealway.
"""
