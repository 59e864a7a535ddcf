// The subcommands of `heapledger`. Each adds its options to the application and a callback that
// does the work; the callback leaves the exit status of the tool in `exit_code`. Failures a user
// can cause are thrown as heapledger::Error and become a message and a status in main.cpp alone.
#pragma once

namespace CLI {
class App;
}

namespace heapledger {

void add_run(CLI::App& app, int& exit_code);
void add_report(CLI::App& app, int& exit_code);
void add_info(CLI::App& app, int& exit_code);
void add_seal(CLI::App& app, int& exit_code);
void add_doctor(CLI::App& app, int& exit_code);
void add_completion(CLI::App& app, int& exit_code);
void add_export(CLI::App& app, int& exit_code);
void add_import(CLI::App& app, int& exit_code);
void add_flamegraph(CLI::App& app, int& exit_code);
void add_graph(CLI::App& app, int& exit_code);
void add_plot(CLI::App& app, int& exit_code);
void add_diff(CLI::App& app, int& exit_code);
void add_advise(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);
void add_ctl(CLI::App& app, int& exit_code);
void add_settings(CLI::App& app, int& exit_code);
void add_core(CLI::App& app, int& exit_code);
void add_snapshot(CLI::App& app, int& exit_code);
void add_top(CLI::App& app, int& exit_code);
void add_replay(CLI::App& app, int& exit_code);
void add_link_flags(CLI::App& app, int& exit_code);

}  // namespace heapledger
