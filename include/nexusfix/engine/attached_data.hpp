// The application's own object of a session: Session::attach() makes it.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include <nexusfix/base/language.hpp>

namespace nexusfix::engine::detail {

// Its address identifies a type. Not const: a linker may merge equal constants.
template <class T>
inline char type_mark = 0;

// Owns an object of any type, and knows its type.
class AttachedData {
 public:
  AttachedData() = default;
  AttachedData(const AttachedData&) = delete;
  AttachedData& operator=(const AttachedData&) = delete;
  ~AttachedData() = default;

  // The object before it is destroyed when the new one exists.
  template <class T, class... Arguments>
  T& make(Arguments&&... arguments) {
    constexpr bool kIsObject =
        std::is_object_v<T> && !std::is_array_v<T> && std::is_same_v<T, std::remove_cv_t<T>>;
    static_assert(kIsObject, "attach() makes an object: a class or a value, without const and &");
    if constexpr (kIsObject) {
      auto made = std::make_unique<T>(std::forward<Arguments>(arguments)...);
      T& object = *made;
      type_ = &type_mark<T>;
      object_ = Owner{made.release(), [](void* owned) noexcept { delete static_cast<T*>(owned); }};
      return object;
    } else {
      std::unreachable();
    }
  }
  // Null: the object is of another type, or there is none.
  template <class T>
  [[nodiscard]] T* get() const noexcept {
    return type_ == &type_mark<T> ? static_cast<T*>(object_.get()) : nullptr;
  }

 private:
  using Owner = std::unique_ptr<void, void (*)(void*) noexcept>;

  const char* type_ = nullptr;  // null: there is no object
  Owner object_{nullptr, [](void*) noexcept {}};
};

}  // namespace nexusfix::engine::detail
