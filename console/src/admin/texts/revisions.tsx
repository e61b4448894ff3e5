import type { ComponentChildren } from 'preact'
import { plural } from '../../shared/fmt.ts'

export const revisionTo = (value: string | number, to: string | number) => `Revision ${value} to ${to}`
export const fromIt = 'From'
export const to = 'To'
export const swap = 'Swap'
export const allRevisions = 'All revisions'
export const whatClientsFeel = (link: ComponentChildren) => (
  <>
    Effect on clients, as <code>svcctl plan</code> reports it. {link}
  </>
)
export const haveRevisionServeAgain = (back: ComponentChildren) => <>Go back to revision {back}</>
export const itSays = 'It shows what would change and whom it affects, and asks for confirmation.'
export const valuesThatThisGateway = (value: ComponentChildren) => (
  <>
    Values that this gateway does not have are not compared: <bdi>{value}</bdi>
  </>
)
export const noChangeInMeaning = 'No change in meaning'
export const onlyTheTextsDiffer = 'Only the texts differ.'
export const bothAreTheSame = 'The texts are identical.'
export const changes = (n: number) => plural(n, 'change')
export const whichIsNew = ', which is new'
export const whichIsGone = ', removed'
export const linesOfBefore = (file: string | number) => `Lines of ${file}, before and after`
export const line = 'Line'
export const before = 'Before'
export const after = 'After'
export const revisions = 'Revisions'
export const theNewest50Configurations = (
  <>
    The newest 50 configurations that served. Policies are files in git: they are changed there, and put in force by{' '}
    <code>svcctl plan</code> and <code>svcctl apply</code>.
  </>
)
export const revisionsTheNewestFirst = 'Revisions, newest first'
export const number = 'Number'
export const revision = 'Revision'
export const since = 'Since'
export const cameBy = 'Source'
export const by = 'By'
export const files = 'Files'
export const changesTitle = 'Changes'
export const serves = 'Serves'
export const fromTo = (number: string | number, number2: string | number) => `from ${number} to ${number2}`
export const theOldest = 'the oldest'
export const servesNow = 'serves'
export const takenAway = 'taken away'
export const less = 'less'
export const different = 'different'
export const more = 'more'
export const unseenByClients = 'invisible to clients'
