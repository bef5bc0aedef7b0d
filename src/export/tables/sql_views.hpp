// sql_views.hpp - what is asked for most, as views over the tables.
#pragma once

#include <array>
#include <string>

namespace reel {

// What is in braces counts where there are many documents, each with its rows; else it is left out.
//   {}            document,              a column of its own
//   {c}           c.document AS document,
//   {by c}        c.document,            in a list of columns
//   {k=c}         k.document = c.document AND
//   {where a=c}   WHERE a.document = c.document
struct SqlView {
  const char *name, *select;
  std::string text(bool has_documents) const;
};

// CROSS JOIN keeps SQLite to the order in which they are written: the long table is read once, and
// each of its rows looked up in the short one.
inline constexpr std::array sql_views{
    SqlView{
        "kernel_usage",
        "SELECT {c}k.id AS kernel, k.name AS name, count(*) AS runs, count(c.run_ns) AS timed,\n"
        "  sum(c.run_ns) AS total_ns, avg(c.run_ns) AS mean_ns, min(c.run_ns) AS min_ns,\n"
        "  max(c.run_ns) AS max_ns, sum(c.bytes) AS bytes,\n"
        "  100.0 * sum(c.run_ns) / (SELECT sum_ns FROM activity a{where a=c}) AS share_percent\n"
        "FROM commands c CROSS JOIN kernels k ON {k=c}k.id = c.kernel\n"
        "WHERE c.kind = 'dispatch' GROUP BY {by c}c.kernel ORDER BY total_ns DESC, runs DESC"},
    SqlView{"scope_usage",
            "SELECT {}scope, count(*) AS commands, count(own_ns) AS timed,\n"
            "  sum(own_ns) FILTER (WHERE kind NOT IN ('host_call', 'barrier')) AS total_ns,\n"
            "  min(started_ns) AS begin_ns, max(ended_ns) AS end_ns\n"
            "FROM commands GROUP BY {}scope ORDER BY total_ns DESC, commands DESC"},
    SqlView{
        "command_details",
        "SELECT {c}c.id AS command, 'c' || c.id AS name, c.kind AS kind, k.name AS kernel,\n"
        "  c.label AS label, c.scope AS scope, s.label AS stream, d.name AS device,\n"
        "  c.groups_x * c.groups_y * c.groups_z AS groups,\n"
        "  nullif(c.group_x * c.group_y * c.group_z, 0) AS group_items, c.bytes AS bytes,\n"
        "  c.call_end_ns - c.call_begin_ns AS call_ns,\n"
        "  max(c.started_ns - c.queued_ns, 0) AS wait_ns, c.run_ns AS run_ns,\n"
        "  1.0 * c.bytes / nullif(c.run_ns, 0) AS gb_per_s\n"
        "FROM commands c LEFT JOIN kernels k ON {k=c}k.id = c.kernel\n"
        "LEFT JOIN streams s ON {s=c}s.id = c.stream LEFT JOIN devices d ON {d=c}d.id = c.device"},
    SqlView{"copies",
            "SELECT {}id AS command, kind, label, scope, stream, bytes / (1 + (kind = 'copy')) AS "
            "bytes,\n"
            "  run_ns, 1.0 * bytes / (1 + (kind = 'copy')) / nullif(run_ns, 0) AS gb_per_s\n"
            "FROM commands WHERE kind IN ('copy', 'read', 'write', 'fill')"},
    SqlView{"call_usage",
            "SELECT {}name, count(*) AS calls, sum(end_ns - begin_ns) AS total_ns,\n"
            "  avg(end_ns - begin_ns) AS mean_ns, max(end_ns - begin_ns) AS max_ns\n"
            "FROM calls GROUP BY {}name ORDER BY total_ns DESC"},
    SqlView{"buffer_usage",
            "SELECT {a}b.id AS buffer, b.label AS label, b.size_bytes AS size_bytes,\n"
            "  sum(a.access IN ('in', 'inout')) AS reads, sum(a.access IN ('out', 'inout')) AS "
            "writes,\n"
            "  min(a.command) AS first_command, max(a.command) AS last_command\n"
            "FROM arguments a CROSS JOIN buffers b ON {b=a}b.id = a.buffer\n"
            "GROUP BY {by a}a.buffer ORDER BY size_bytes DESC"},
    SqlView{
        "idle_by_cause",
        "SELECT {}cause, count(*) AS gaps, sum(size_ns) AS total_ns, max(size_ns) AS longest_ns\n"
        "FROM gaps GROUP BY {}cause ORDER BY total_ns DESC"},
    SqlView{"races",
            "WITH RECURSIVE racing({}to_command, set_number, buffer, bytes) AS (\n"
            "  SELECT {}to_command, from_set, buffer, bytes FROM dependencies\n"
            "  WHERE kind = 'missing' AND from_set IS NOT NULL\n"
            "  UNION SELECT {by r}r.to_command, s.inner_set, r.buffer, r.bytes\n"
            "  FROM racing r CROSS JOIN dependency_sets s ON {s=r}s.set_number = r.set_number\n"
            "  WHERE s.inner_set IS NOT NULL)\n"
            "SELECT {}from_command, to_command, buffer, bytes FROM dependencies\n"
            "WHERE kind = 'missing' AND from_set IS NULL\n"
            "UNION ALL SELECT {by r}s.command, r.to_command, r.buffer, r.bytes\n"
            "FROM racing r CROSS JOIN dependency_sets s ON {s=r}s.set_number = r.set_number\n"
            "WHERE s.command IS NOT NULL"},
};

}  // namespace reel
