/** What `package.mjs` puts into the npm package. */
declare module 'fragreel:worker' {
  const code: string;
  export default code;
}
