#include "data/row_sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "data/series.hpp"
#include "log/hash_rows.hpp"
#include "log/log_layout.hpp"
#include "log/logged_hashes.hpp"
#include "log/logged_plants.hpp"

namespace handspan {
struct RowSampler::Impl {
  // values of all fields, one after the other
  struct Values {
    std::vector<double> numbers;
    std::vector<Nanoseconds> stamps;  // by field
  };

  class Replayed : public Row {
   public:
    explicit Replayed(const Impl& impl) : impl_(impl) {}
    std::span<const double> at(std::size_t f) const override {
      // the tick's own value, unless that is of a later instant already
      const bool of_it = acted && after.stamps[f] <= now;
      return impl_.part(of_it ? after : was, f);
    }
    std::span<const double> before(std::size_t f) const override { return impl_.part(was, f); }

    Nanoseconds now = 0;
    bool acted = false;  // `after` is there
    Values was, after;

   private:
    const Impl& impl_;
  };

  class Streamed : public Row {
   public:
    explicit Streamed(const Impl& impl) : impl_(impl) {}
    std::span<const double> at(std::size_t f) const override { return latest(f, tick); }
    std::span<const double> before(std::size_t f) const override { return latest(f, tick - 1); }

   private:
    // what stands in the log at a tick was published at its end
    std::span<const double> latest(std::size_t f, std::int64_t until) const {
      const Series& s = impl_.series[f];
      const auto row = std::upper_bound(s.ticks.begin(), s.ticks.end(), until) - s.ticks.begin();
      const auto n = static_cast<std::ptrdiff_t>(s.columns.size());
      const std::ptrdiff_t first = std::max<std::ptrdiff_t>(0, row - 1) * n;
      return std::span(s.values).subspan(static_cast<std::size_t>(first),
                                         static_cast<std::size_t>(n));
    }
    const Impl& impl_;
  };

  Impl(LogFile& l, const Parts& parts, RowOptions o)
      : log(l), options(std::move(o)), app(log.app(parts)) {
    if (options.streams)
      instead = "asked for";
    else if (all_observed(log))
      instead = "its plants were no simulations";
    else
      instead = log.other_machine();
    if (instead.empty()) {
      try {
        begin_session();
      } catch (const InputError& error) {
        instead = error.what();
      }
    }
    if (!instead.empty()) begin_streams();
  }

  void begin_session() {
    session.emplace(app, replay_options(log, app, false));
    if (session->base_period() != log.base_period())
      throw InputError(fmt::format("its ticks are {} ns and this handspan makes them {} ns",
                                   log.base_period(), session->base_period()));
    hashes.emplace(log.hashes());
    // read once: they are in every chunk
    key_frames = log.key_frames();
    fields = session->channels().channels();
    offsets.clear();
    std::size_t size = 0;
    for (const ChannelInfo& info : fields) {
      offsets.push_back(size);
      size += info.size;
    }
    width = size;
  }

  void begin_streams() {
    session.reset();
    references = {};
    fields.clear();
    series = series_of(log);
    for (const Series& s : series) {
      ChannelInfo info;
      info.name = s.name;
      info.unit = s.unit;
      info.size = s.columns.size();
      info.type = s.type;
      info.labels = s.columns;
      info.choices = s.choices;
      fields.push_back(info);
    }
  }

  std::span<const double> part(const Values& values, std::size_t f) const {
    return std::span(values.numbers).subspan(offsets[f], fields[f].size);
  }

  void take(Values& into) const {
    const ChannelTable& table = session->channels();
    into.numbers.resize(width);
    into.stamps.resize(fields.size());
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const ChannelId id{f};
      into.stamps[f] = table.stamp(id);
      double* to = into.numbers.data() + offsets[f];
      if (holds_doubles(fields[f].type)) {
        const auto x = table.numbers(id);
        std::copy_n(x.data(), x.size(), to);
      } else {
        *to = static_cast<double>(table.integer(id));
      }
    }
  }

  // @return whether it is the tick that was recorded; else the streams are taken from here on
  bool tick() {
    session->tick();
    const std::int64_t done = session->ticks() - 1;
    const TickHashes* was = hashes->at(done);
    if (was == nullptr) return true;
    const TickHashes now = session->hashes();
    for (std::size_t q = 0; q < kQuantities; ++q)
      if ((now[q] & kHashBits) != (*was)[q]) {
        instead = fmt::format("run again it differs at tick {} ({:.3f} s) in its {}", done,
                              seconds(done * log.base_period()), name_of(static_cast<Quantity>(q)));
        begin_streams();
        return false;
      }
    return true;
  }

  void check_rate(double most) const {
    if (options.rate.hz() <= most * (1.0 + 1e-9)) return;
    throw InputError(
        fmt::format("{}: {:g} Hz are asked for and there are {:g} Hz{}; ask for {}",
                    log.file().string(), options.rate.hz(), most,
                    instead.empty() ? "" : " (the recorded streams are taken: " + instead + ")",
                    instead.empty() ? "no more than the loop's rate" : "less, or record in full"));
  }

  bool go_to(std::int64_t first) {
    // a key frame nearer to it than where the session is
    const auto after = std::ranges::upper_bound(key_frames, first);
    const std::int64_t frame = after == key_frames.begin() ? -1 : *(after - 1);
    if (session->ticks() > first || frame > session->ticks()) {
      if (frame < 0)
        throw InputError(fmt::format("{}: it has no key frame at or before {:.3f} s",
                                     log.file().string(), seconds(first * log.base_period())));
      session->restore(log.key_frame(first).second);
    }
    while (session->ticks() < first)
      if (!tick()) return false;
    return true;
  }

  void note_references() {
    Arbiter& arbiter = session->arbiter();
    motions.clear();
    for (const ReferenceIndex r : arbiter.references())
      motions.push_back(arbiter.reference(r).motion());
    references = motions;
  }

  // @return whether all of it was what was recorded
  bool replay(const std::vector<std::int64_t>& ticks, const auto& each) {
    Replayed row(*this);
    RowState state;
    const std::int64_t end = log.ticks();
    for (const std::int64_t t : ticks) {
      if (!go_to(t)) return false;
      note_references();
      take(row.was);
      if (options.states) session->snapshot(state.plant, state.loop);
      row.tick = t;
      row.now = t * log.base_period();
      row.acted = t < end;
      if (row.acted) {
        if (!tick()) return false;
        take(row.after);
      }
      each(row, options.states ? &state : nullptr);
      if (options.progress) options.progress(row.now);
    }
    return true;
  }

  LogFile& log;
  RowOptions options;
  App app;
  std::string instead;
  std::optional<Session> session;
  std::optional<LoggedHashes> hashes;
  std::vector<std::int64_t> key_frames;
  std::vector<ChannelInfo> fields;
  std::vector<std::size_t> offsets;  // into Values, by field
  std::size_t width = 0;
  std::vector<Series> series;
  std::vector<Motion> motions;
  std::span<const Motion> references;
};

RowSampler::RowSampler(LogFile& log, const Parts& parts, RowOptions options)
    : impl_(std::make_unique<Impl>(log, parts, std::move(options))) {}
RowSampler::~RowSampler() = default;

const std::vector<ChannelInfo>& RowSampler::fields() const { return impl_->fields; }

std::optional<std::size_t> RowSampler::field(std::string_view name) const {
  const auto found = std::ranges::find(impl_->fields, name, &ChannelInfo::name);
  if (found == impl_->fields.end()) return std::nullopt;
  return static_cast<std::size_t>(found - impl_->fields.begin());
}

const std::string& RowSampler::instead() const { return impl_->instead; }

double RowSampler::most_hz() const {
  const bool all = impl_->instead.empty() || impl_->log.about("record") == "full";
  return all ? 1e9 / static_cast<double>(impl_->log.base_period()) : kRecordRate.hz();
}

std::vector<std::int64_t> RowSampler::ticks(const Stretch& stretch) const {
  std::vector<std::int64_t> ticks;
  for (std::int64_t k = 0;; ++k) {
    const std::int64_t tick =
        stretch.first + tick_of(k, impl_->options.rate, impl_->log.base_period());
    if (tick > stretch.last) return ticks;
    ticks.push_back(tick);
  }
}

void RowSampler::rows(const Stretch& stretch, const std::function<void()>& begin,
                      const std::function<void(const Row&, const RowState*)>& each) {
  const auto all = ticks(stretch);
  if (impl_->session) {
    impl_->check_rate(most_hz());
    begin();
    if (impl_->replay(all, each)) return;
  }
  impl_->check_rate(most_hz());
  begin();
  Impl::Streamed row(*impl_);
  for (const std::int64_t t : all) {
    row.tick = t;
    each(row, nullptr);
  }
}

std::span<const Motion> RowSampler::references() const { return impl_->references; }

std::size_t RowSampler::reference(const std::string& name) const {
  return impl_->session->arbiter().find_reference(name).value;
}

const App& RowSampler::app() const { return impl_->app; }

}  // namespace handspan
