/** The fast ways that README.md of this folder describes, and the journal of the embedded store. */
type FastWay = 'body-view' | 'event-templates' | 'webassembly' | 'store-journal'

/** Whether a process does without a fast way, for measurements: `SVC_WITHOUT=body-view,event-templates`. */
export const isWithout = (way: FastWay): boolean => WITHOUT.has(way)

const WITHOUT: ReadonlySet<string> = new Set(process.env.SVC_WITHOUT?.split(','))
