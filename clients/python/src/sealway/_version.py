"""The version of Sealway that this belongs to."""

__version__ = "0.1.0"
