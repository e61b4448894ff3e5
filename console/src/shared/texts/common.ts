export const console = 'console'
export const operator = 'operator'
export const skip = 'Skip to content'
export const pages = 'Pages'
export const plan = 'plan'
export const noPlan = 'none'
export const themes = { auto: 'Auto theme', light: 'Light theme', dark: 'Dark theme' }
export const models = 'Models'
export const errors = 'Errors'
export const signIn = 'Sign in'
export const signInWith = (host: string) => `Sign in with ${host}`
export const signOut = 'Sign out'
export const ended = 'Your sign-in has ended. This page stays as it is.'
export const goOn = 'Continue'
export const sessionOver = 'This session has ended.'
export const newVersion = 'A new version is available.'
export const reload = 'Reload'
export const notSecure = 'Open the console over https.'
export const noProvider =
  'Sign-in is not available: the gateway has no identity provider. Ask its operator for a key. You can still view models and errors.'
export const noClient = 'Console sign-in is not configured (identity.console_client_id). Use the command svcctl login.'
export const notBegun = 'This sign-in was started in another tab.'
export const notFinished = 'The sign-in was not completed.'
export const providerDown = (host: string) => `${host} does not answer. Try again in a moment.`
export const signInFailed = (why: string) => `The sign-in failed: ${why}`
export const offline = 'The gateway does not answer. Are you online?'
export const answered = (status: number) => `The gateway answered ${status}.`
export const asOf = <T>(time: T) => ['Last updated ', time, '.'] as const
export const askAgain = 'Ask again'
/** For what is not the reader's to mend. */
export const problems = {
  STORE_UNAVAILABLE: 'The store does not answer. Nothing is lost or charged, and this page retries by itself.',
  IDENTITY_UNAVAILABLE: 'The identity provider does not answer. Keys still work, and this page retries by itself.',
} as Readonly<Record<string, string>>
export const keys = 'Keyboard'
export const shortcuts = [
  ['/', 'Find'],
  ['j  k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['r', 'Ask again'],
  ['Esc', 'Back, or close'],
  ['?', 'This list'],
] as readonly (readonly [string, string])[]
export const search = 'Search'
export const searchKeys = { mac: '⌘ K', others: 'Ctrl K' }
export const searchAll = 'Search everything'
export const find = 'Find  /'
export const close = 'Close'
export const cancel = 'Cancel'
export const copy = 'Copy'
export const copyWhat = (what: string) => `Copy ${what.toLowerCase()}`
export const copied = (what: string) => `${what} copied`
export const notCopied = 'The browser refused: select the text and copy it yourself.'
/** Names of waits. */
export const seconds = (n: number) => `${n} s`
export const minutes = (n: number) => `${n} min`
export const hours = (n: number) => `${n} h`
export const days = (n: number) => (n === 1 ? '1 day' : `${n} days`)
/** Distances of moments from now. */
export const now = 'just now'
export const ago = (span: string) => `${span} ago`
export const inTime = (span: string) => `in ${span}`
