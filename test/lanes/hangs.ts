/** As a last resort: what a test waits for either comes or never does, however busy the machine is. */
export const HANGS_MS = 60_000
