-- The database workload: tables are filled, indexed, joined, updated and summed up. The parameter
-- :rows sets the amount of work; every query ends in an order or a single row, so that the output
-- depends on it alone.
--
--   sqlite3 -batch :memory: ".parameter init" ".parameter set :rows 1000" ".read database.sql"

CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, city TEXT, notes TEXT);
CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer INTEGER, article TEXT, price INTEGER,
                       details TEXT);

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :rows / 10 + 1)
INSERT INTO customer
SELECT i, printf('Customer %06d', i * 7919 % 1000003), 'City ' || (i * 31 % 97),
       replace(hex(i * 2654435761), 'A', 'and some more text ')
FROM n;

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :rows)
INSERT INTO purchase
SELECT i, 1 + i * 7919 % (:rows / 10 + 1), 'article ' || (i * 104729 % 997), i * 31337 % 10000,
       json_object('number', i, 'tags', json_array('a' || i % 7, 'b' || i % 11, i % 13),
                   'comment', printf('delivered on day %d to gate %d', i % 365, i % 9))
FROM n;

CREATE INDEX purchase_customer ON purchase (customer, price);
CREATE INDEX purchase_article ON purchase (article);
CREATE INDEX customer_city ON customer (city, name);

SELECT city, count(*), sum(price), group_concat(DISTINCT substr(article, 9, 1))
FROM customer JOIN purchase ON purchase.customer = customer.id
GROUP BY city ORDER BY sum(price) DESC, city LIMIT 10;

SELECT json_extract(details, '$.tags[0]') AS tag, count(*), total(price),
       max(json_extract(details, '$.comment'))
FROM purchase GROUP BY tag ORDER BY tag;

SELECT count(*), sum(place) FROM (
  SELECT rank() OVER (PARTITION BY article ORDER BY price DESC, id) AS place FROM purchase
) WHERE place <= 5;

UPDATE customer SET notes = notes || upper(notes) || (
  SELECT coalesce(group_concat(article), '') FROM (
    SELECT article FROM purchase WHERE customer = customer.id ORDER BY price, article LIMIT 5));

DELETE FROM purchase WHERE json_extract(details, '$.tags[2]') IN (3, 5, 7);

SELECT count(*), sum(length(notes)), min(notes LIKE '%article%') FROM customer;

SELECT name, entry.value, count(*)
FROM customer, json_each(json_array(city, substr(name, -2))) AS entry
GROUP BY entry.value ORDER BY count(*) DESC, entry.value LIMIT 10;

SELECT count(*), sum(length(details)), count(DISTINCT article) FROM purchase;
