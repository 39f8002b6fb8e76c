/**
 * Words that make a Chinese query a question and say nothing about its subject, in simplified characters. Dropped from
 * queries, never from documents. Only whole words of the segmentation count: 几何 and 哪吒 stay.
 */
export const QUESTION_WORDS: ReadonlySet<string> = new Set([
  ...['什么', '甚么', '什么样', '什么时候', '啥', '啥样', '干什么', '干吗', '干嘛', '为什么', '为啥', '为何', '何以'],
  ...['如何', '怎', '怎么', '怎么样', '怎么办', '怎样', '咋', '咋样', '何', '何时', '何地', '何处', '何人', '何种'],
  ...['哪', '哪里', '哪儿', '哪个', '哪些', '哪位', '哪种', '哪家', '哪年', '哪一', '哪一个', '哪天', '哪国'],
  ...['谁', '多少', '多久', '多长', '多大', '多高', '多远'],
  ...['吗', '呢', '嘛', '请问', '是否', '是不是', '有没有', '能否', '可否'],
])

/**
 * Cost in the word graph of the question words of three characters and more (that of a trusted rank near 1,000), of
 * which the dictionary makes 为 and 什么 and the like.
 */
export const QUESTION_WORD_COST = 8
