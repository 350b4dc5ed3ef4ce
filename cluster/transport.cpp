#include "cluster/transport.hpp"

#include <chrono>
#include <thread>

namespace mansuba::cluster {

void finish(Transport& transport, int exit_code) {
    for (int rank = 1; rank < transport.size(); ++rank)
        transport.send(rank, kFinish, bytes_of(exit_code));
}

int await_finish(Transport& transport) {
    while (true) {
        while (const auto message = transport.receive())
            if (message->kind == kFinish) return values_of<int>(*message).at(0);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

}  // namespace mansuba::cluster
