"""The queue as it is: predicted starts, their spans and calibration, kept predictions, what-ifs."""
