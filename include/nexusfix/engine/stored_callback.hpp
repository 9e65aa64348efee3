// A callback with its captures in place: storing it needs no memory.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace nexusfix::engine::detail {

// Any function of an Argument that returns nothing and has at most BytesMax bytes. One whose move
// may throw is allocated: a capture of a const object, such as of a const std::string, has no move.
template <class Argument, std::size_t BytesMax>
class StoredCallback {
 public:
  // There is no callback: it must not be called.
  StoredCallback() = default;
  // Takes the callback of the other one, which then has none.
  StoredCallback(StoredCallback&& other) noexcept { take(other); }
  // Destroys its own callback first.
  StoredCallback& operator=(StoredCallback&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  // Destroys the captures.
  ~StoredCallback() { reset(); }

  // Whether there is a callback.
  explicit operator bool() const noexcept { return operations_ != nullptr; }
  // Calls it. It may be called again.
  void operator()(Argument argument) { operations_->call(bytes_, argument); }
  // Destroys the callback with its captures.
  void reset() noexcept {
    if (operations_ != nullptr) std::exchange(operations_, nullptr)->destroy(bytes_);
  }

 protected:
  template <class Given>
  static constexpr bool kTakesArgument = std::is_invocable_v<Given&, Argument>;
  template <class Given>
  static constexpr bool kReturnsNothing =
      !kTakesArgument<Given> || requires(Given& given, Argument argument) {
        { std::invoke(given, argument) } -> std::same_as<void>;
      };
  template <class Given>
  static constexpr bool kFits =
      sizeof(Given) <= BytesMax && alignof(Given) <= alignof(std::max_align_t);

  // There must be no callback yet. Throws what copying or moving the callback throws.
  template <class Callback>
  void emplace(Callback&& callback) {
    using Given = std::decay_t<Callback>;  // of a function: its pointer
    if constexpr (kTakesArgument<Given> && kFits<Given>) {
      if constexpr (std::is_nothrow_move_constructible_v<Given>) {
        store<Given>(std::forward<Callback>(callback));
      } else {
        store<Allocated<Given>>(std::make_unique<Given>(std::forward<Callback>(callback)));
      }
    }
  }

 private:
  struct Operations {
    void (*call)(void* callback, Argument argument);
    void (*move)(void* from, void* to) noexcept;  // destroys the one that it moves from
    void (*destroy)(void* callback) noexcept;
  };
  template <class Given>
  struct Allocated {
    std::unique_ptr<Given> given;
    void operator()(Argument argument) { std::invoke(*given, argument); }
  };
  template <class Stored, class Source>
  void store(Source&& source) {
    ::new (static_cast<void*>(bytes_)) Stored(std::forward<Source>(source));
    operations_ = &kOperations<Stored>;
  }
  template <class Stored>
  static Stored& as(void* callback) noexcept {
    return *std::launder(static_cast<Stored*>(callback));
  }
  template <class Stored>
  static constexpr Operations kOperations{
      .call = [](void* callback,
                 Argument argument) { std::invoke(as<Stored>(callback), argument); },
      .move =
          [](void* from, void* to) noexcept {
            ::new (to) Stored(std::move(as<Stored>(from)));
            std::destroy_at(&as<Stored>(from));
          },
      .destroy = [](void* callback) noexcept { std::destroy_at(&as<Stored>(callback)); }};

  void take(StoredCallback& other) noexcept {
    operations_ = std::exchange(other.operations_, nullptr);
    if (operations_ != nullptr) operations_->move(other.bytes_, bytes_);
  }

  const Operations* operations_ = nullptr;  // null: there is no callback
  alignas(std::max_align_t) std::byte bytes_[BytesMax];
};

}  // namespace nexusfix::engine::detail
