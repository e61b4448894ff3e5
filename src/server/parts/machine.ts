import { type LoadWatch, type Sample, watchLoad } from '../../http/listener/overload.ts'
import { collectWhenIdle, idlenessSampler } from '../garbage.ts'
import { watchDescriptors } from '../machine.ts'
import type { Base } from './base.ts'
import type { Part } from './open-parts.ts'

export interface MachineHooks {
  /** Samples the load of the process; without it, the process never sheds load, and keeps the memory of a burst. */
  readonly sample?: () => Sample
  /** Whether the process can open one more file or socket; without it nothing watches that. */
  readonly hasDescriptor?: () => boolean
}

/** How loaded the process is, and whether it can open sockets. */
export interface Machine extends Part {
  readonly shedding: LoadWatch['level']
  /** Watches the load from now on: the work of the start itself is no load of clients. */
  watchLoad(): void
}

export function openMachine({ clock, alarm, serving }: Base, { sample, hasDescriptor }: MachineHooks): Machine {
  const stopCollecting = sample && collectWhenIdle(clock, idlenessSampler())
  const stopDescriptors = hasDescriptor && watchDescriptors(clock, alarm, hasDescriptor)
  let load: LoadWatch | undefined
  return {
    shedding: () => (load && serving.settings.listener.shedLoad ? load.level() : 0),
    watchLoad: () => {
      load = sample && watchLoad(sample, clock, alarm)
    },
    close: () => {
      load?.stop()
      stopCollecting?.()
      stopDescriptors?.()
    },
  }
}
