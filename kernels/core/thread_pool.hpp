// A few threads that work through numbered jobs together.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace hedgerow {

// Called now and then by the thread that asked for the work, and by no other. What it throws ends the work.
using Pause = std::function<void()>;

// The caller is a member too: a crew of one starts no thread. Jobs must not depend on who does them.
class Crew {
 public:
  // Where the system gives fewer threads than asked for, the crew is smaller.
  explicit Crew(std::size_t members, Pause pause = {}) : pause_(std::move(pause)) {
    try {
      for (std::size_t member = 1; member < members; ++member) {
        threads_.emplace_back([this, member] { serve(member); });
      }
    } catch (const std::system_error&) {
    }
  }

  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  ~Crew() {
    {
      std::lock_guard lock(mutex_);
      done_ = true;
    }
    wake_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

  std::size_t members() const { return threads_.size() + 1; }

  // Whether a job has thrown, or the caller was told to stop: a long job had better end early.
  bool failed() const { return failed_.load(std::memory_order_relaxed); }

  // The caller may look up here.
  void pause() const {
    if (pause_) pause_();
  }

  // Calls job(number, member) for every number below `jobs`; returns when all are done. What a job throws is thrown
  // again, and jobs that have not begun by then are left out.
  void share(std::size_t jobs, const std::function<void(std::size_t, std::size_t)>& job) {
    if (threads_.empty() || jobs < 2) {
      for (std::size_t number = 0; number < jobs; ++number) {
        pause();
        job(number, 0);
      }
      return;
    }
    {
      std::lock_guard lock(mutex_);
      job_ = &job;
      jobs_ = jobs;
      next_.store(0);
      busy_ = threads_.size();
      failure_ = nullptr;
      failed_ = false;
      ++round_;
    }
    wake_.notify_all();
    work(0);
    std::unique_lock lock(mutex_);
    while (!idle_.wait_for(lock, patience, [this] { return busy_ == 0; })) {
      lock.unlock();
      look_up();
      lock.lock();
    }
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void serve(std::size_t member) {
    std::size_t seen = 0;
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return done_ || round_ != seen; });
        if (done_) return;
        seen = round_;
      }
      work(member);
      std::lock_guard lock(mutex_);
      if (--busy_ == 0) idle_.notify_one();
    }
  }

  void work(std::size_t member) {
    for (;;) {
      const std::size_t number = next_.fetch_add(1);
      if (number >= jobs_) return;
      try {
        if (member == 0) pause();
        (*job_)(number, member);
      } catch (...) {
        fail(std::current_exception());
      }
    }
  }

  // While others work on, the caller may still be told to stop.
  void look_up() {
    if (failed()) return;
    try {
      pause();
    } catch (...) {
      fail(std::current_exception());
    }
  }

  void fail(std::exception_ptr why) {
    next_.store(jobs_);
    failed_ = true;
    std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(why);
  }

  static constexpr std::chrono::milliseconds patience{50};

  Pause pause_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable wake_, idle_;
  const std::function<void(std::size_t, std::size_t)>* job_ = nullptr;
  std::atomic<std::size_t> next_{0};
  std::size_t jobs_ = 0, busy_ = 0, round_ = 0;
  std::exception_ptr failure_;
  std::atomic<bool> failed_{false};
  bool done_ = false;
};

}  // namespace hedgerow
