/** A picture of a lamp: the site's icon if the owner has no photo. */
export const porchLamp =
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512" width="512" height="512">
<rect width="512" height="512" rx="96" fill="#1e2439"/>
<circle cx="256" cy="300" r="200" fill="#f2a93b" fill-opacity="0.22"/>
<circle cx="256" cy="300" r="140" fill="#ffc869" fill-opacity="0.35"/>
<path d="M256 60v70" stroke="#0f1320" stroke-width="18" stroke-linecap="round"/>
<path d="M136 214q120-150 240 0z" fill="#0f1320"/>
<path d="M160 222h192l-30 170H190z" fill="#ffd68a"/>
<path d="M180 398h152l-20 38H200z" fill="#0f1320"/>
</svg>`);
