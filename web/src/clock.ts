// How far the server's clock is ahead of the page's: of the last ten round trips the shortest says
// it best, since what delays a message only adds. What is used goes to that slowly: stamps are of
// it, and a hand whose time leaps has moved otherwise than the operator's.

export const kKept = 10;
/// How fast the offset that is used changes [s/s].
export const kSlew = 0.02;
/// Further away than this it is another clock: it is taken at once [s].
export const kOtherClock = 0.5;

export class ClockOffset {
  private trips: { duration: number; offset: number }[] = [];
  private used = 0;
  private at = 0; // the page's clock when it was `used`

  /// A ping's answer. @param sent, received by the page's clock [s] @param server by its own [s]
  add(sent: number, server: number, received: number): void {
    const first = !this.known;
    if (!first) this.offsetAt(received);
    this.trips.push({ duration: received - sent, offset: server - (sent + received) / 2 });
    if (this.trips.length > kKept) this.trips.shift();
    if (!first && Math.abs(this.best!.offset - this.used) < kOtherClock) return;
    this.used = this.best!.offset;
    this.at = received;
  }

  get known(): boolean {
    return this.trips.length > 0;
  }

  private get best() {
    return this.trips.reduce<{ duration: number; offset: number } | undefined>(
      (best, trip) => (best && best.duration <= trip.duration ? best : trip),
      undefined,
    );
  }

  /// Server's clock minus the page's [s] at a time of the page's, which does not fall; 0 before the
  /// first answer. Server's times of rising times rise.
  offsetAt(time: number): number {
    const best = this.best;
    if (!best) return 0;
    const most = kSlew * Math.max(0, time - this.at);
    this.used += Math.min(most, Math.max(-most, best.offset - this.used));
    this.at = Math.max(this.at, time);
    return this.used;
  }

  /// The same now.
  get offset(): number {
    return this.offsetAt(now());
  }

  /// The shortest round trip of those kept [s].
  get roundTrip(): number {
    return this.best?.duration ?? 0;
  }

  clear(): void {
    this.trips = [];
    this.used = 0;
  }
}

/// The page's clock [s].
export const now = (): number => performance.now() / 1000;
