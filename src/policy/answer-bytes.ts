/** The most bytes of one whole answer. A larger one is a fault of its backend. */
export const MOST_ANSWER_BYTES = 67_108_864
