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
using InterruptCheck = std::function<void()>;

// The calling thread works too: a pool of one starts no thread. Jobs must not depend on the thread that does them.
class ThreadPool {
 public:
  // Where the system gives fewer threads than asked for, the pool is smaller.
  explicit ThreadPool(std::size_t n_threads, InterruptCheck interrupt_check = {})
      : interrupt_check_(std::move(interrupt_check)) {
    try {
      for (std::size_t thread_number = 1; thread_number < n_threads; ++thread_number) {
        threads_.emplace_back([this, thread_number] { run_worker(thread_number); });
      }
    } catch (const std::system_error&) {
    }
  }

  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  ~ThreadPool() {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    work_ready_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

  std::size_t size() const { return threads_.size() + 1; }

  // Whether a job has thrown, or the caller was told to stop: a long job had better end early.
  bool has_failed() const { return failed_.load(std::memory_order_relaxed); }

  // The caller may look up here.
  void check_interrupt() const {
    if (interrupt_check_) interrupt_check_();
  }

  // Calls job(number, thread) for every number below `jobs`; returns when all are done. What a job throws is thrown
  // again, and jobs that have not begun by then are left out.
  void parallel_for(std::size_t jobs, const std::function<void(std::size_t, std::size_t)>& job) {
    if (threads_.empty() || jobs < 2) {
      for (std::size_t number = 0; number < jobs; ++number) {
        check_interrupt();
        job(number, 0);
      }
      return;
    }
    {
      std::lock_guard lock(mutex_);
      job_ = &job;
      n_jobs_ = jobs;
      next_job_.store(0);
      busy_threads_ = threads_.size();
      failure_ = nullptr;
      failed_ = false;
      ++round_;
    }
    work_ready_.notify_all();
    run_jobs(0);
    std::unique_lock lock(mutex_);
    while (!all_idle_.wait_for(lock, kPollInterval, [this] { return busy_threads_ == 0; })) {
      lock.unlock();
      poll_interrupt();
      lock.lock();
    }
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void run_worker(std::size_t thread_number) {
    std::size_t seen_round = 0;
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        work_ready_.wait(lock, [&] { return stopping_ || round_ != seen_round; });
        if (stopping_) return;
        seen_round = round_;
      }
      run_jobs(thread_number);
      std::lock_guard lock(mutex_);
      if (--busy_threads_ == 0) all_idle_.notify_one();
    }
  }

  void run_jobs(std::size_t thread_number) {
    for (;;) {
      const std::size_t number = next_job_.fetch_add(1);
      if (number >= n_jobs_) return;
      try {
        if (thread_number == 0) check_interrupt();
        (*job_)(number, thread_number);
      } catch (...) {
        record_failure(std::current_exception());
      }
    }
  }

  // While others work on, the caller may still be told to stop.
  void poll_interrupt() {
    if (has_failed()) return;
    try {
      check_interrupt();
    } catch (...) {
      record_failure(std::current_exception());
    }
  }

  void record_failure(std::exception_ptr failure) {
    next_job_.store(n_jobs_);
    failed_ = true;
    std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
  }

  static constexpr std::chrono::milliseconds kPollInterval{50};

  InterruptCheck interrupt_check_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable work_ready_, all_idle_;
  const std::function<void(std::size_t, std::size_t)>* job_ = nullptr;
  std::atomic<std::size_t> next_job_{0};
  std::size_t n_jobs_ = 0, busy_threads_ = 0, round_ = 0;
  std::exception_ptr failure_;
  std::atomic<bool> failed_{false};
  bool stopping_ = false;
};

}  // namespace hedgerow
