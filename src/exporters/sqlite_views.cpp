// The views: each answers a question that people have, see docs/exports.md.
#include "exporters/sqlite_schema.h"

namespace heapledger {

const char* const kSqliteViews = R"(
CREATE VIEW places AS
  SELECT site, functions.name AS function, file, line, modules.path AS module
  FROM sites JOIN frames USING(frame) JOIN functions USING(function)
       LEFT JOIN modules USING(module);

CREATE VIEW stacks AS
  SELECT site, group_concat(name, ' < ') AS stack
  FROM (SELECT site, name FROM stack JOIN frames USING(frame) JOIN functions USING(function)
        ORDER BY site, depth)
  GROUP BY site;

CREATE VIEW allocations AS
  SELECT site, function, file, line, calls, bytes,
         CASE calls WHEN 0 THEN 0 ELSE bytes / calls END AS average, live_bytes AS at_peak_bytes, peak_bytes
  FROM accounts JOIN places USING(site)
  ORDER BY bytes DESC;

CREATE VIEW never_freed AS
  SELECT site, function, file, line, never_freed_bytes AS bytes,
         never_freed_blocks AS blocks
  FROM accounts JOIN places USING(site)
  WHERE never_freed_blocks > 0
  ORDER BY bytes DESC;

CREATE VIEW temporary AS
  SELECT site, function, file, line, temporary_calls, calls,
         100.0 * temporary_calls / calls AS percent
  FROM accounts JOIN places USING(site)
  WHERE temporary_calls > 0
  ORDER BY temporary_calls DESC;

CREATE VIEW largest_blocks AS
  SELECT size, printf('0x%x', address) AS address, born_ns, ended_ns, ending, site,
         function, file, line
  FROM blocks JOIN places USING(site)
  ORDER BY size DESC;

CREATE VIEW sizes AS
  SELECT low, high - 1 AS high, sum(calls) AS calls, sum(bytes) AS bytes
  FROM (SELECT (SELECT max(low) FROM size_classes WHERE low <= size) AS low, calls, bytes
        FROM (SELECT size, sum(calls) AS calls, sum(bytes) AS bytes FROM blocks GROUP BY size))
       JOIN size_classes USING(low)
  GROUP BY low ORDER BY low;

CREATE VIEW lifetimes AS
  SELECT low AS low_ns, high - 1 AS high_ns, sum(calls) AS blocks, sum(bytes) AS bytes
  FROM (SELECT (SELECT max(low) FROM lifetime_classes WHERE low <= ended_ns - born_ns) AS low,
               calls, bytes
        FROM blocks WHERE ending <> 'never freed')
       JOIN lifetime_classes USING(low)
  GROUP BY low ORDER BY low;

CREATE VIEW by_thread AS
  SELECT thread, pid, tid, name, calls, blocks.bytes, never_freed_bytes
  FROM (SELECT thread, sum(calls) AS calls, sum(bytes) AS bytes,
               sum(CASE ending WHEN 'never freed' THEN bytes ELSE 0 END) AS never_freed_bytes
        FROM blocks GROUP BY thread) AS blocks
       JOIN threads USING(thread)
       JOIN (SELECT ledger, pid FROM ledgers) USING(ledger)
  ORDER BY blocks.bytes DESC;

CREATE VIEW handed_over AS
  SELECT site, function, file, line, allocating.name AS allocated_by,
         freeing.name AS freed_by, blocks, bytes
  FROM (SELECT site, thread, ended_by, sum(calls) AS blocks, sum(bytes) AS bytes
        FROM blocks WHERE ending = 'freed' AND thread <> ended_by
        GROUP BY site, thread, ended_by)
       JOIN places USING(site)
       JOIN threads AS allocating USING(thread)
       JOIN threads AS freeing ON freeing.thread = ended_by
  ORDER BY blocks DESC;

CREATE VIEW by_function AS
  SELECT name AS function, sum(calls) AS calls, sum(bytes) AS bytes,
         sum(live_bytes) AS at_peak_bytes, sum(never_freed_bytes) AS never_freed_bytes
  FROM (SELECT DISTINCT site, function FROM stack JOIN frames USING(frame))
       JOIN accounts USING(site) JOIN functions USING(function)
  GROUP BY function ORDER BY bytes DESC;
)";

}  // namespace heapledger
