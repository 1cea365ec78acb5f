"""Asks one question as an analyst's notebook does; prints its rows as JSON."""
import json
import sys

import clickhouse_connect

host, port, username, password, database, question = sys.argv[1:]
client = clickhouse_connect.get_client(
    host=host, port=int(port), username=username, password=password, database=database
)
print(json.dumps([[str(value) for value in row] for row in client.query(question).result_rows]))
