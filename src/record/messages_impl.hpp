#pragma once

// The fields of each message in the order of its definition, shown to what measures, writes or
// reads them: `fields(archive, m)` calls the archive with one after the other. Inside src/record.

#include <concepts>
#include <type_traits>

#include "record/messages.hpp"

namespace handspan::messages {

template <class Archive, class M>
  requires std::same_as<std::remove_const_t<M>, String>
void fields(Archive& a, M& m) {
  a(m.data);
}

template <class Archive, class M>
  requires std::same_as<std::remove_const_t<M>, JointState>
void fields(Archive& a, M& m) {
  a(m.header), a(m.name), a(m.position), a(m.velocity), a(m.effort);
}

template <class Archive, class M>
  requires std::same_as<std::remove_const_t<M>, PoseStamped>
void fields(Archive& a, M& m) {
  a(m.header), a(m.position), a(m.orientation);
}

template <class Archive, class M>
  requires std::same_as<std::remove_const_t<M>, TwistStamped>
void fields(Archive& a, M& m) {
  a(m.header), a(m.linear), a(m.angular);
}

template <class Archive, class M>
  requires std::same_as<std::remove_const_t<M>, WrenchStamped>
void fields(Archive& a, M& m) {
  a(m.header), a(m.force), a(m.torque);
}

template <class Archive, class M>
  requires std::same_as<std::remove_const_t<M>, Joy>
void fields(Archive& a, M& m) {
  a(m.header), a(m.axes), a(m.buttons);
}

template <class Archive, class M>
  requires std::same_as<std::remove_const_t<M>, TransformStamped>
void fields(Archive& a, M& m) {
  a(m.header), a(m.child_frame_id), a(m.translation), a(m.rotation);
}

template <class Archive, class M>
  requires std::same_as<std::remove_const_t<M>, TFMessage>
void fields(Archive& a, M& m) {
  a(m.transforms);
}

template <class Archive, class M>
  requires std::same_as<std::remove_const_t<M>, Vector>
void fields(Archive& a, M& m) {
  a(m.header), a(m.values);
}

template <class Archive, class M>
  requires std::same_as<std::remove_const_t<M>, Integer>
void fields(Archive& a, M& m) {
  a(m.header), a(m.value), a(m.word);
}

template <class Archive, class M>
  requires std::same_as<std::remove_const_t<M>, TickHashes>
void fields(Archive& a, M& m) {
  a(m.first_tick), a(m.quantities), a(m.hashes);
}

template <class Archive, class M>
  requires std::same_as<std::remove_const_t<M>, KeyFrame>
void fields(Archive& a, M& m) {
  a(m.tick), a(m.state);
}

template <class Archive, class M>
  requires std::same_as<std::remove_const_t<M>, Event>
void fields(Archive& a, M& m) {
  a(m.header), a(m.tick), a(m.kind), a(m.name), a(m.text), a(m.keys), a(m.values);
}

template <class Archive, class M>
  requires std::same_as<std::remove_const_t<M>, Input>
void fields(Archive& a, M& m) {
  a(m.header), a(m.tick), a(m.source), a(m.kind), a(m.text), a(m.numbers), a(m.integers);
}

}  // namespace handspan::messages
