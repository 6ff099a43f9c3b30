"""What people run: experiments, batches of questions, ask, serve, report, the command line."""
