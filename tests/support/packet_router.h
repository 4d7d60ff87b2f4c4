#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/party_processes.h"

namespace sotto {

// Machines in network namespaces (ip netns), each with its own address, and the router
// between them: every packet passes through this process, which can delay it, lose it, or cut a
// machine off. What TCP and TLS make of that is the kernel's and the program's own doing.
class Machines {
 public:
  static constexpr std::size_t kMost = 8;

  // Why there can be none here; empty if there can.
  [[nodiscard]] static std::string cannot() {
    if (geteuid() != 0) return "network namespaces need root";
    const int tunnel = ::open("/dev/net/tun", O_RDWR | O_CLOEXEC);
    if (tunnel < 0) return "/dev/net/tun cannot be opened";
    ::close(tunnel);
    const std::string name = fmt::format("sotto-try-{}", getpid());
    if (!ip({"netns", "add", name})) return "ip netns does not work here";
    (void)ip({"netns", "del", name});
    return {};
  }

  // `group` tells the machines of one test process apart.
  Machines(std::size_t count, std::size_t group) {
    for (std::size_t m = 0; m < count; ++m) {
      names_.push_back(fmt::format("sotto-{}-{}-{}", getpid(), group, m + 1));
      const std::string device = fmt::format("st{}g{}m{}", getpid() % 100'000, group, m + 1);
      tunnels_.push_back(open_tunnel(device));
      EXPECT_TRUE(ip({"netns", "add", names_[m]}));
      EXPECT_TRUE(ip({"link", "set", device, "netns", names_[m]}));
      EXPECT_TRUE(ip({"-n", names_[m], "addr", "add", address(m) + "/24", "dev", device}));
      EXPECT_TRUE(ip({"-n", names_[m], "link", "set", device, "up"}));
      EXPECT_TRUE(ip({"-n", names_[m], "link", "set", "lo", "up"}));
    }
    router_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) route();
    });
  }
  Machines(const Machines&) = delete;
  Machines& operator=(const Machines&) = delete;
  ~Machines() {
    router_ = {};
    for (const int tunnel : tunnels_) ::close(tunnel);
    for (const std::string& name : names_) (void)ip({"netns", "del", name});
  }

  [[nodiscard]] static std::string address(std::size_t machine) {
    return fmt::format("10.77.0.{}", machine + 1);
  }
  // In front of a program's words.
  [[nodiscard]] std::vector<std::string> inside(std::size_t machine) const {
    return {"ip", "netns", "exec", names_[machine]};
  }

  void cut_off(std::size_t machine, bool off) { cut_.at(machine) = off; }
  // Nobody can dial this machine; it can dial everybody.
  void firewall(std::size_t machine) { closed_.at(machine) = true; }
  // This machine is behind a router that translates addresses: the others see the router's, with a
  // port of its choice, and whoever dials that reaches nobody. Before anything is sent.
  void translate(std::size_t machine) { translated_.at(machine) = true; }
  void be_bad(milliseconds delay, unsigned loss_percent) {
    delay_ = delay;
    loss_percent_ = loss_percent;
  }
  struct Packets {
    std::uint64_t carried = 0;
    std::uint64_t lost = 0;
    std::uint64_t cut = 0;
    std::uint64_t refused = 0;     // by the firewall, or for nobody behind the router
    std::uint64_t translated = 0;  // ports of the router that are in use
  };
  // Precondition: nobody sends any more, or one can live with a number that is a moment old.
  [[nodiscard]] Packets packets() const {
    return {.carried = carried_,
            .lost = lost_,
            .cut = cut_packets_,
            .refused = refused_,
            .translated = inside_.size()};
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Packet = std::pair<std::size_t, std::string>;  // to which machine

  static bool ip(std::vector<std::string> words) {
    words.insert(words.begin(), "ip");
    Child child(words, "/dev/null", "/dev/null");
    return child.wait(seconds(20)) == 0;
  }

  static int open_tunnel(const std::string& device) {
    const int tunnel = ::open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    ifreq request{};
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    std::strncpy(static_cast<char*>(request.ifr_name), device.c_str(), IFNAMSIZ - 1);
    EXPECT_EQ(::ioctl(tunnel, TUNSETIFF, &request), 0) << device;
    return tunnel;
  }

  static unsigned char byte_of(const std::string& packet, std::size_t k) {
    return static_cast<unsigned char>(packet[k]);
  }
  static unsigned word_of(const std::string& packet, std::size_t k) {
    return byte_of(packet, k) * 256U + byte_of(packet, k + 1);
  }
  static void put_word(std::string& packet, std::size_t k, unsigned word) {
    packet[k] = static_cast<char>(word >> 8U);
    packet[k + 1] = static_cast<char>(word & 0xFFU);
  }
  static std::size_t header_of(const std::string& packet) {
    return (byte_of(packet, 0) & 0x0FU) * std::size_t{4};
  }
  // RFC 1071, over words of 16 bits.
  static unsigned folded(const std::string& packet, std::size_t from, std::size_t to,
                         unsigned long sum) {
    for (std::size_t k = from; k < to; k += 2) {
      sum += byte_of(packet, k) * 256UL + (k + 1 < to ? byte_of(packet, k + 1) : 0);
    }
    while (sum > 0xFFFF) sum = (sum & 0xFFFF) + (sum >> 16U);
    return static_cast<unsigned>(~sum & 0xFFFF);
  }
  static void seal_again(std::string& packet) {
    const std::size_t header = header_of(packet);
    put_word(packet, 10, 0);
    put_word(packet, 10, folded(packet, 0, header, 0));
    unsigned long pseudo = 6 + (packet.size() - header);
    for (std::size_t k = 12; k < 20; k += 2) pseudo += word_of(packet, k);
    put_word(packet, header + 16, 0);
    put_word(packet, header + 16, folded(packet, header, packet.size(), pseudo));
  }

  // What a router with one public address does; false: nobody is meant.
  bool translate_packet(std::size_t from, std::size_t& to, std::string& packet) {
    constexpr unsigned char kTcp = 6;
    const std::size_t header = header_of(packet);
    if (byte_of(packet, 9) != kTcp || packet.size() < header + 20) return to < tunnels_.size();
    if (to == kRouter) {
      const auto inside = inside_.find(word_of(packet, header + 2));
      if (inside == inside_.end()) return false;
      to = inside->second.first;
      packet[19] = static_cast<char>(to + 1);
      put_word(packet, header + 2, inside->second.second);
      seal_again(packet);
    }
    if (to >= tunnels_.size()) return false;
    if (!translated_.at(from)) return true;
    const std::pair place{from, word_of(packet, header)};
    const auto [outside, fresh] = outside_.emplace(place, next_port_);
    if (fresh) inside_[next_port_++] = place;
    packet[15] = static_cast<char>(kRouter + 1);
    put_word(packet, header, outside->second);
    seal_again(packet);
    return true;
  }

  // A dial: SYN without ACK.
  static bool is_dial(std::string_view packet) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(packet[k]); };
    const std::size_t header = (byte(0) & 0x0FU) * std::size_t{4};
    constexpr unsigned char kTcp = 6;
    if (byte(9) != kTcp || packet.size() < header + 20) return false;
    return (byte(header + 13) & 0x12U) == 0x02U;
  }

  void route() {
    std::vector<pollfd> polls;
    for (const int tunnel : tunnels_) polls.push_back({tunnel, POLLIN, 0});
    milliseconds pause{50};
    if (!waiting_.empty()) {
      const auto due = waiting_.begin()->first - Clock::now();
      pause = std::clamp(std::chrono::ceil<milliseconds>(due), milliseconds(0), pause);
    }
    ::poll(polls.data(), polls.size(), static_cast<int>(pause.count()));
    for (std::size_t m = 0; m < polls.size(); ++m) {
      if ((polls[m].revents & POLLIN) != 0) take_packets(m);
    }
    while (!waiting_.empty() && waiting_.begin()->first <= Clock::now()) {
      const auto& [to, bytes] = waiting_.begin()->second;
      if (cut_.at(to)) {
        ++cut_packets_;
      } else if (::write(tunnels_[to], bytes.data(), bytes.size()) > 0) {
        ++carried_;
      }
      waiting_.erase(waiting_.begin());
    }
  }

  void take_packets(std::size_t from) {
    std::array<char, 2048> buffer{};
    ssize_t size = 0;
    while ((size = ::read(tunnels_[from], buffer.data(), buffer.size())) > 0) {
      std::string packet(buffer.data(), static_cast<std::size_t>(size));
      constexpr std::size_t kIpHeader = 20;
      if (packet.size() < kIpHeader || (packet[0] >> 4) != 4) continue;  // IPv6's own chatter
      std::size_t to = static_cast<unsigned char>(packet[19]) - std::size_t{1};
      if (!translate_packet(from, to, packet)) {
        ++refused_;
        continue;
      }
      if (cut_.at(from) || cut_.at(to)) {
        ++cut_packets_;
      } else if (closed_.at(to) && is_dial(packet)) {
        ++refused_;
      } else if (std::uniform_int_distribution<unsigned>(0, 99)(random_) < loss_percent_) {
        ++lost_;
      } else {
        waiting_.emplace(Clock::now() + delay_.load(), Packet{to, std::move(packet)});
      }
    }
  }

  std::vector<std::string> names_;
  std::vector<int> tunnels_;
  std::array<std::atomic<bool>, kMost> cut_{};
  std::array<std::atomic<bool>, kMost> closed_{};
  static constexpr std::size_t kRouter = 199;  // 10.77.0.200
  std::array<std::atomic<bool>, kMost> translated_{};
  std::map<std::pair<std::size_t, unsigned>, unsigned> outside_;  // machine and port → router's
  std::map<unsigned, std::pair<std::size_t, unsigned>> inside_;
  unsigned next_port_ = 40'000;
  std::atomic<milliseconds> delay_{milliseconds(0)};
  std::atomic<unsigned> loss_percent_ = 0;
  std::atomic<std::uint64_t> carried_ = 0;
  std::atomic<std::uint64_t> lost_ = 0;
  std::atomic<std::uint64_t> cut_packets_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;
  std::mt19937 random_{1};
  std::multimap<Clock::time_point, Packet> waiting_;
  std::jthread router_;
};

}  // namespace sotto
