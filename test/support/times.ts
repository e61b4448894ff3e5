/**
 * How many random cases a property is tried on: `all` in the long lane (EVERY_CASE=1, which its configuration sets), a tenth of
 * them in `npm test`, or as few as are named. Each run draws other cases, so that the fast lane gets round to all kinds of them too.
 */
export const times = (all: number, few = Math.ceil(all / 10)): number => (process.env.EVERY_CASE === '1' ? all : few)
