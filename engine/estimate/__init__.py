"""What a scheduler believes that a job will run for: estimates and predictors."""
