#include "cli/command.hpp"

int main(int argc, char** argv) { return mansuba::cli::run(argc, argv); }
