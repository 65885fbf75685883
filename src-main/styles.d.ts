/** A style sheet as text. Pages contain it, so it has no comments. */
declare module '*.css?raw' {
  const text: string;
  export default text;
}
