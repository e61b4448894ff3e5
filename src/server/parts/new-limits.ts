import { addedRules, beginAhead } from '../../gateway/admission/begin-ahead.ts'
import type { Store } from '../../gateway/store/store.ts'
import type { Config } from '../../policy/config.ts'
import type { Base } from './base.ts'

/** Has limits that are new begin with what was used before. Where that fails they hold all the same. */
export const newLimits =
  ({ clock, alarm }: Base, store: Store) =>
  (config: Config, before?: Config): Promise<void> =>
    beginAhead(config, store, addedRules(config, before), clock.now()).catch(error =>
      alarm('limits that are new begin without what was used before', { error: String(error) }),
    )
