"""Prints each row of a Parquet file as pandas reads it, with the exact sums of two columns at the end."""
import json
import sys

import pandas

frame = pandas.read_parquet(sys.argv[1])
for row in frame.to_dict("records"):
    print(json.dumps({name: value if isinstance(value, (bool, list)) else str(value) for name, value in row.items()}))
print(json.dumps({"amount": str(frame["amount"].sum()), "amount_raw": str(frame["amount_raw"].map(int).sum())}))
