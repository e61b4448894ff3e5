type Env = Readonly<Record<string, string>>

/**
 * The environment of a process that a test starts: the programs and the home directory of the lane, and what the test adds.
 * A process without HOME looks its user up and reads the home directory of whoever runs the tests.
 */
export function childEnv(more: Env = {}): Env {
  const { PATH = '', HOME = '', TMPDIR = '/tmp' } = process.env
  return { PATH, HOME, TMPDIR, ...more }
}
