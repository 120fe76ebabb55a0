// How far the server's clock is ahead of the page's: of the last ten round trips the shortest says
// it best, since what delays a message only adds.

export const kKept = 10;

export class ClockOffset {
  private trips: { duration: number; offset: number }[] = [];

  /// A ping's answer. @param sent, received by the page's clock [s] @param server by its own [s]
  add(sent: number, server: number, received: number): void {
    this.trips.push({ duration: received - sent, offset: server - (sent + received) / 2 });
    if (this.trips.length > kKept) this.trips.shift();
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

  /// Server's clock minus the page's [s]; 0 before the first answer.
  get offset(): number {
    return this.best?.offset ?? 0;
  }

  /// The shortest round trip of those kept [s].
  get roundTrip(): number {
    return this.best?.duration ?? 0;
  }

  clear(): void {
    this.trips = [];
  }
}

/// The page's clock [s].
export const now = (): number => performance.now() / 1000;
