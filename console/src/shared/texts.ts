import { inLanguage } from './language.ts'

/** What every door says, in English. */
const en = {
  console: 'console',
  operator: 'operator',
  skip: 'Skip to the page',
  pages: 'Pages',
  plan: 'plan',
  noPlan: 'none',
  themes: { auto: 'Auto theme', light: 'Light theme', dark: 'Dark theme' },
  models: 'Models',
  errors: 'Errors',
  signIn: 'Sign in',
  signInWith: (host: string) => `Sign in with ${host}`,
  signOut: 'Sign out',
  ended: 'Your sign-in has ended. What you see stays.',
  goOn: 'Continue',
  sessionOver: 'This session is over.',
  newVersion: 'A new version is here.',
  reload: 'Reload',

  notSecure: 'Open the console over https.',
  noProvider:
    'Nobody can sign in here: the gateway names no identity provider. Ask its operator for a key; the models and the errors are open.',
  noClient: 'Sign-in to the console is not set up (identity.console_client_id). The command svcctl login works.',
  notBegun: 'This sign-in was not begun in this tab.',
  notFinished: 'The sign-in was not finished.',
  providerDown: (host: string) => `${host} does not answer. Try again in a moment.`,
  signInFailed: (why: string) => `The sign-in failed: ${why}`,

  offline: 'The gateway does not answer. Are you online?',
  answered: (status: number) => `The gateway answered ${status}.`,
  asOf: (time: string) => `What you see is as of ${time}.`,
  askAgain: 'Ask again',
  /** For what is not the reader's to mend. */
  problems: {
    STORE_UNAVAILABLE:
      'The store does not answer. Nothing is lost and nothing is charged; the page asks again by itself.',
    IDENTITY_UNAVAILABLE: 'The identity provider does not answer. Keys work as ever; the page asks again by itself.',
  } as Readonly<Record<string, string>>,

  keys: 'Keyboard',
  shortcuts: [
    ['/', 'Find'],
    ['j  k', 'Next and previous row'],
    ['Enter', 'Open the row'],
    ['r', 'Ask again'],
    ['Esc', 'Back, or close'],
    ['?', 'This list'],
  ] as readonly (readonly [string, string])[],
  find: 'Find  /',
  close: 'Close',
  cancel: 'Cancel',
  copy: 'Copy',
  copyWhat: (what: string) => `Copy ${what.toLowerCase()}`,
  copied: (what: string) => `${what} copied`,
  notCopied: 'The browser did not allow that: select the text and copy it.',
  /** Names of waits. */
  seconds: (n: number) => `${n} s`,
  minutes: (n: number) => `${n} min`,
  hours: (n: number) => `${n} h`,
}

export const common = inLanguage({ en })
