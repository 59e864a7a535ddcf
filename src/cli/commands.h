// The subcommands of `heapledger`. Each adds its options to the application and a callback that
// does the work; the callback leaves the exit status of the tool in `exit_code`. Failures a user
// can cause are thrown as heapledger::Error and become a message and a status in main.cpp alone.
#pragma once

namespace heapledger::cli {

class Command;

namespace run {
void add_run(Command& app, int& exit_code);
void add_settings(Command& app, int& exit_code);
void add_link_flags(Command& app, int& exit_code);
}  // namespace run

namespace report {
void add_report(Command& app, int& exit_code);
void add_figures(Command& app, int& exit_code);
}  // namespace report

namespace files {
void add_info(Command& app, int& exit_code);
void add_seal(Command& app, int& exit_code);
void add_export(Command& app, int& exit_code);
void add_import(Command& app, int& exit_code);
}  // namespace files

namespace doctor {
void add_doctor(Command& app, int& exit_code);
}  // namespace doctor

namespace completion {
void add_completion(Command& app, int& exit_code);
}  // namespace completion

namespace pictures {
void add_flamegraph(Command& app, int& exit_code);
void add_graph(Command& app, int& exit_code);
void add_plot(Command& app, int& exit_code);
}  // namespace pictures

namespace view {
void add_view(Command& app, int& exit_code);
}  // namespace view

namespace diff {
void add_diff(Command& app, int& exit_code);
}  // namespace diff

namespace advise {
void add_advise(Command& app, int& exit_code);
}  // namespace advise

namespace fleet {
void add_fleet(Command& app, int& exit_code);
}  // namespace fleet

namespace check {
void add_check(Command& app, int& exit_code);
}  // namespace check

namespace ctl {
void add_ctl(Command& app, int& exit_code);
}  // namespace ctl

namespace core {
void add_core(Command& app, int& exit_code);
void add_snapshot(Command& app, int& exit_code);
}  // namespace core

namespace top {
void add_top(Command& app, int& exit_code);
}  // namespace top

namespace replay {
void add_replay(Command& app, int& exit_code);
}  // namespace replay

namespace help {
// Added last: it knows the others.
void add_help(Command& app, int& exit_code);
}  // namespace help

}  // namespace heapledger::cli
