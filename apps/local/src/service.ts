/** One of the parts that make up the product on this machine. */
export interface Service {
  /** As the user reads it, and the name of its log. */
  readonly name: string;
  /** How long it may take to end in good order. */
  readonly stopWithinMs: number;
  /** Whether it has to be started anew when the code was built anew (in development). */
  readonly followsBuild?: boolean;
  /** Returns when it is ready to be used. If it fails or is given up, nothing of it is left running. */
  start(signal: AbortSignal): Promise<RunningService>;
}

export interface RunningService {
  /** Settles when it has ended, for whatever reason, and says how, as a sentence. */
  readonly exited: Promise<string>;
  /** Asks it to end, and forces it after the grace, or as soon as `hurry` fires. */
  stop(graceMs: number, hurry: AbortSignal): Promise<void>;
}
