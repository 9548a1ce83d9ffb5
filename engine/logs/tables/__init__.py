"""Tables of jobs: CSV and Parquet, a row for each job."""
