/** The package has no types for its dictionary modules. */
declare module 'opencc-js/dict/TSCharacters' {
  /** `from to|from to|…`: a traditional character and its most usual simplified form. */
  const pairs: string
  export default pairs
}
