import { loadWithStandIns } from '../../operator/stand-ins.ts'
import { loadedOrFail } from '../../server/load-or-fail.ts'
import { world } from '../../server/world.ts'
import { Replay } from '../../simulate/replay.ts'
import { filesAt, partsOf, sizeOf } from '../explain/decision-lines.ts'
import { Progress } from '../progress.ts'
import { writeOut } from '../stdout.ts'
import type { ReplayOptions } from './replay.ts'
import { replayJson, replayText } from './replay-text.ts'

/** Takes a decision log through the files of a candidate, and tells what would change. */
export async function replay(log: string, { config: file, json }: ReplayOptions): Promise<void> {
  const { config } = loadedOrFail(loadWithStandIns(file, process.env, process.cwd()))
  const files = log === '-' ? ['-'] : await filesAt(log)
  const progress = new Progress(process.stderr, world.clock, log === '-' ? undefined : await sizeOf(files))
  const replayed = new Replay(config)
  try {
    for await (const { lines, bytes } of partsOf(files)) {
      for (const line of lines) replayed.add(line)
      progress.add(bytes)
    }
  } finally {
    progress.end()
  }
  const told = { ...replayed.replayed, candidate: config.revision }
  await writeOut([json ? replayJson(told) : replayText(told)])
}
