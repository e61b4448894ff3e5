import { type Command, Option } from 'commander'
import {
  type Changing,
  changing,
  configOption,
  type Limited,
  type Listing,
  limitOption,
  listing,
} from '../kit/options.ts'

export interface ListOptions extends Listing, Limited {
  readonly state?: 'waiting' | 'failed'
}

export interface ContactsOptions extends Changing {
  readonly remove?: 'mail' | 'webhook'
}

export interface RetryOptions extends Pick<Changing, 'config'> {
  readonly all?: boolean
  readonly target?: string
}

/** Registers `svcctl notices …`. All but `contacts` needs a running gateway: exit code 3 without one. */
export function registerNotices(program: Command): void {
  const notices = program.command('notices').description('notices about limits and events, and their delivery')
  listing(notices.command('list'))
    .description('list notices, newest first, with the state of each delivery')
    .addOption(
      new Option('--state <state>', 'only notices with a delivery in this state').choices(['waiting', 'failed']),
    )
    .addOption(limitOption('the newest'))
    .action(async (options: ListOptions) => (await import('./run.ts')).list(options))
  changing(notices.command('contacts'))
    .description('show where notices of an account go, by its own choice, or remove an address')
    .argument('<account>', 'its id or label, or its key')
    .addOption(new Option('--remove <contact>', 'what to remove').choices(['mail', 'webhook']))
    .action(async (named: string, options: ContactsOptions) =>
      (await import('./contacts-run.ts')).contacts(named, options),
    )
  notices
    .command('test')
    .argument('<target>', 'a target of the configuration')
    .description('send a test to a target now; exit code 1 if it does not arrive')
    .addOption(configOption())
    .action(async (target: string, options: Pick<Changing, 'config'>) =>
      (await import('./run.ts')).test(target, options),
    )
  notices
    .command('retry')
    .argument('[notice]', 'the id of a notice that waits or failed')
    .description('resend notices that did not arrive')
    .option('--all', 'all of them')
    .option('--target <target>', 'only what goes to this target')
    .addOption(configOption())
    .action(async (id: string | undefined, options: RetryOptions) => (await import('./run.ts')).retry(id, options))
}
