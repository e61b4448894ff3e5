import { join } from 'node:path'
import type { Load } from '../../config/load.ts'
import { textDisk } from '../../config/read/disk.ts'
import type { FileText } from '../../config/settings.ts'
import type { Door } from '../../operator/open.ts'
import { type ServedConfig, servedConfig } from '../../operator/revisions.ts'
import { loadWithStandIns } from '../../operator/stand-ins.ts'
import { oneLine } from '../../wire/printable.ts'
import type { Base } from './plan-base.ts'

/** What a running gateway serves. */
export interface ServedBase extends Base {
  readonly door: Door
  readonly revision: string
  readonly number: number
}

/** What a gateway serves, read as if it lay in this directory. Rejects with CommandFailed. */
export async function servedBase(door: Door, directory: string): Promise<ServedBase> {
  const served = await servedConfig(door)
  const { revision, number, files, decisions } = served
  return {
    ...{ door, revision, number, directory },
    name: `revision ${revision}`,
    load: loadTexts(files, directory),
    served: { door, title: titleOf(door, served), log: decisions.log ? decisions.directory : undefined },
    close: () => {},
  }
}

const titleOf = ({ admin }: Door, { revision, number, how, by, at }: ServedConfig): string =>
  `${admin} serves revision ${revision} (number ${number}, ${how === by ? how : `${how} by ${oneLine(by)}`}, since ${at})`

/** Loads texts as if they lay in this directory, so that their files of secrets are the same. */
export function loadTexts(files: readonly FileText[], directory: string): Load {
  const main = join(directory, files[0]?.file ?? '')
  return loadWithStandIns(main, process.env, process.cwd(), textDisk(files, directory))
}
