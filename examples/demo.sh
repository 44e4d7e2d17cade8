#!/bin/sh
# The script behind `make demo`: from a table to a tested, saved and readable model.
set -e
mkdir -p demo
cd demo
python -c "import hedgerow; print(hedgerow.examples.loan_csv(), end='')" > loan.csv

run() {
    printf '\n$ %s\n\n' "$*"
    "$@"
}

run hedgerow describe loan.csv
run hedgerow train loan.csv -o loan.hedge
printf 'Age,Has_Job,Own_House,Credit_Rating\nyoung,false,false,good\nold,true,?,excellent\n' > applicants.csv
run hedgerow predict loan.hedge applicants.csv
run hedgerow report loan.hedge loan.csv --folds 10 -o report.html
printf '\nThe results are in the folder demo; open report.html in a browser. Next: hedgerow learners, hedgerow train --help\n'
