#!/bin/sh
# sqlite's own tests need Tcl: a script of statements whose results are known.
cat >check.sql <<'SQL'
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO t SELECT i, 'row ' || (i * 7919 % 1009), i / 4.0 FROM n;
CREATE INDEX tb ON t(b);
SELECT count(*), sum(a), max(b), total(c) FROM t;
SELECT b, count(*) FROM t GROUP BY b HAVING count(*) > 1 ORDER BY b LIMIT 5;
SELECT x.a, y.a FROM t x JOIN t y ON x.b = y.b AND x.a < y.a ORDER BY x.a LIMIT 3;
BEGIN; DELETE FROM t WHERE a % 3 = 0; ROLLBACK;
UPDATE t SET c = c + 1 WHERE b LIKE 'row 1%';
SELECT round(sum(c), 2) FROM t;
SELECT json_extract('{"a":[1,2,{"b":"deep"}]}', '$.a[2].b'), printf('%08.3f', 3.14159), hex(zeroblob(3));
SELECT a, sum(a) OVER (ORDER BY a ROWS 2 PRECEDING) FROM t LIMIT 4;
PRAGMA integrity_check;
SQL
./sqlite3 :memory: <check.sql >got 2>&1
grep -q '^2000|2001000|row 999|500250.0$' got && grep -q '^deep|0003.142|000000$' got && grep -q '^ok$' got && grep -q '^4|9$' got && echo right
