import type { Loaded, LogSettings } from '../../config/settings.ts'
import { type LineOut, lineOut } from '../../server/log/line-out.ts'
import { type Knowing, type KnownSecrets, ProcessLog } from '../../server/log/log.ts'
import { gatewayName } from '../../server/version.ts'
import { workerCount } from '../../server/worker-count.ts'
import { world } from '../../server/world.ts'

/** Where all lines go. */
export interface Lines {
  readonly out: LineOut
  readonly err: LineOut
}

/** They outlive their readers. Workers say theirs through the process that started them. */
export function openLines({ settings }: Loaded): Lines {
  const options = { clock: world.clock, isOfAll: workerCount(settings) > 1 }
  return { out: lineOut(process.stdout, options), err: lineOut(process.stderr, { ...options, atOnce: true }) }
}

interface LogTerms {
  readonly lines: Lines
  readonly settings: () => LogSettings
  readonly secrets: KnownSecrets
  readonly all: () => Knowing
}

/** The log of this process. */
export function openLog({ lines, settings, secrets, all }: LogTerms): ProcessLog {
  const known = () => {
    secrets.know(all())
    return settings()
  }
  return new ProcessLog({ ...lines, settings: known, secrets, gateway: gatewayName, now: world.clock.now })
}
