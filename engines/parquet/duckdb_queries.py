"""Runs queries on a Parquet file with DuckDB: the file as a view named spans. Then writes the file
anew, with columns in another order and without some.

Takes the Parquet file, the new one, and files with a query each."""
import sys

import duckdb

duckdb.sql("SET TimeZone = 'UTC'")
duckdb.sql(f"CREATE VIEW spans AS FROM '{sys.argv[1]}'")
for query in sys.argv[3:]:
    print("query")
    with open(query) as file:
        texts = duckdb.sql(file.read()).project("CAST(COLUMNS(*) AS VARCHAR)")
        for row in texts.fetchall():
            print("|".join(str(value) for value in row))
duckdb.sql(
    f"""COPY (
        SELECT span_id, trace_id, links, resource_attributes, events, attributes, status_code, kind,
            trace_state, end_time_unix_nano, start_time_unix_nano, name, parent_span_id, scope_name
        FROM spans) TO '{sys.argv[2]}' (FORMAT parquet, COMPRESSION zstd)"""
)
