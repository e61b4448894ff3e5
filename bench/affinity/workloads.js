// Dialogues by stated distributions: { start, id, account, segments: [[name, tokens, joined?]…] that it begins with,
// turns: [{ in, out, think }] }. A turn comes `think` seconds after the answer before it. Equal names are equal texts.

export function random(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

function dice(seed) {
  const next = random(seed)
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
  return {
    next,
    between: (a, b) => Math.round(a + next() * (b - a)),
    exponential: mean => -mean * Math.log(1 - next()),
    /** Lognormal around a median, cut at both ends. */
    around: (median, sigma, least, most) =>
      Math.round(Math.min(most, Math.max(least, median * Math.exp(sigma * normal())))),
    geometric: mean => 1 + Math.floor(Math.log(1 - next()) / Math.log(1 - 1 / mean)),
    /** An index below n, the k-th with weight 1/(k+1)^s. */
    zipf: (n, s) => {
      let sum = 0
      for (let k = 1; k <= n; k++) sum += k ** -s
      let left = next() * sum
      for (let k = 1; k <= n; k++) {
        left -= k ** -s
        if (left <= 0) return k - 1
      }
      return n - 1
    },
  }
}

/** Starts of a Poisson process. */
function* starts({ exponential }, rate, until) {
  for (let t = exponential(1 / rate); t < until; t += exponential(1 / rate)) yield t
}

/** Assistants: 20 system prompts of 500 to 4,000 tokens, 6 turns on average, each 80 tokens asked and 250 answered. */
export function chats({ rate, until, seed = 1, assistants = 20 }) {
  const d = dice(seed)
  const systems = Array.from({ length: assistants }, () => d.around(1500, 0.6, 500, 4000))
  return [...starts(d, rate, until)].map((start, i) => {
    const assistant = d.zipf(assistants, 1)
    return {
      start,
      id: `c${i}`,
      account: `a${assistant}.${d.zipf(200, 0.8)}`,
      segments: [[`system${assistant}`, systems[assistant]]],
      turns: Array.from({ length: d.geometric(6) }, () => ({
        in: d.around(80, 1, 8, 4000),
        out: d.around(250, 0.7, 8, 1500),
        think: d.exponential(15),
      })),
    }
  })
}

/** Coding agents: projects with 20,000 to 60,000 tokens of tools; 12 to 40 turns of 600 tokens, up to 12,000. */
export function agents({ rate, until, seed = 2, projects = 12 }) {
  const d = dice(seed)
  const tools = Array.from({ length: projects }, () => d.between(20_000, 60_000))
  return [...starts(d, rate, until)].map((start, i) => {
    const project = d.zipf(projects, 0.8)
    return {
      start,
      id: `g${i}`,
      account: `p${project}`,
      segments: [
        [`tools${project}`, tools[project]],
        [`environment${i}`, d.around(400, 0.5, 100, 2000)],
      ],
      turns: Array.from({ length: d.between(12, 40) }, () => ({
        in: d.around(600, 1.1, 30, 12_000),
        out: d.around(150, 0.8, 10, 2000),
        think: d.next() < 0.1 ? d.exponential(60) : 0.5 + d.exponential(2.5),
      })),
    }
  })
}

/** Questions on 400 documents of 1,500 to 10,000 tokens, each in one message with its question. */
export function rag({ rate, until, seed = 3, documents = 400 }) {
  const d = dice(seed)
  const sizes = Array.from({ length: documents }, () => d.around(4000, 0.6, 1500, 10_000))
  return [...starts(d, rate, until)].map((start, i) => {
    const document = d.zipf(documents, 0.9)
    return {
      start,
      id: `r${i}`,
      account: `t${document % 20}`,
      segments: [
        ['instructions', 600],
        [`document${document}`, sizes[document], 'joined'],
      ],
      turns: Array.from({ length: d.next() < 0.33 ? 2 : 1 }, () => ({
        in: d.around(50, 0.6, 10, 400),
        out: d.around(200, 0.6, 16, 800),
        think: d.exponential(20),
      })),
    }
  })
}

/** Single questions that share 150 tokens of instructions. */
export function questions({ rate, until, seed = 4 }) {
  const d = dice(seed)
  return [...starts(d, rate, until)].map((start, i) => ({
    start,
    id: `o${i}`,
    account: `x${d.zipf(100, 0.8)}`,
    segments: [['instructions of questions', 150]],
    turns: [{ in: d.around(800, 1, 50, 12_000), out: d.around(200, 0.7, 8, 1000), think: 0 }],
  }))
}

/** All of them at once. */
export const mixed = ({ rate, until, seed = 5 }) =>
  [
    ...chats({ rate: rate * 0.5, until, seed }),
    ...agents({ rate: rate * 0.03, until, seed: seed + 1 }),
    ...rag({ rate: rate * 0.6, until, seed: seed + 2 }),
    ...questions({ rate, until, seed: seed + 3 }),
  ].sort((a, b) => a.start - b.start)
