import { parseFragment, type DefaultTreeAdapterTypes as Dom } from 'parse5';
import { describe, expect, test } from 'vitest';
import { cleanHtml } from '../../../src-main/mentions/clean-facts.ts';
import { entry, factsOf, link } from '../../support/webmention-samples.ts';

const base = 'https://ann.example/notes/1';
const bad = 'javascript:alert(1)';

const attacks = [
  '<script>alert(1)</script>',
  '<SCRIPT SRC=//evil.example/x.js></SCRIPT>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<img src=x onerror=alert(1)>',
  '<img src="x` `<script>alert(1)</script>"` `>',
  '<svg onload=alert(1)><script>alert(1)</script></svg>',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<svg><style><img src=x onerror=alert(1)></style></svg>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;"></table></mtext></math>',
  '<math href="javascript:alert(1)">x</math>',
  `<a href="${bad}">x</a>`,
  '<a href=" java\nscript:alert(1)">x</a>',
  '<a href="jav&#x09;ascript:alert(1)">x</a>',
  '<a href="&#106;&#97;&#118;&#97;&#115;&#99;&#114;&#105;&#112;&#116;&#58;alert(1)">x</a>',
  '<a href="\u0001javascript:alert(1)">x</a>',
  '<a href="JaVaScRiPt:alert(1)" onclick="alert(1)" onfocus=alert(1) autofocus tabindex=1>x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '<a href="vbscript:msgbox(1)">x</a>',
  '<a href="https://b.example/" style="position:fixed;inset:0" class="btn" id="location" name="x">x</a>',
  '<p style="background:url(javascript:alert(1))" onmouseover="alert(1)">x</p>',
  '<style>*{display:none}</style>',
  '<link rel="stylesheet" href="//evil.example/x.css"><meta http-equiv="refresh" content="0;url=//evil.example">',
  '<base href="//evil.example/">',
  '<iframe src="javascript:alert(1)" srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="javascript:alert(1)"></object><embed src="javascript:alert(1)"><applet code=x>',
  '<form action="javascript:alert(1)"><input type=submit formaction="javascript:alert(1)"><button>x</button></form>',
  '<video src=x onerror=alert(1) poster="javascript:alert(1)"><source onerror=alert(1)></video><audio src=x onerror=alert(1)>',
  '<details open ontoggle=alert(1)>x</details><marquee onstart=alert(1)>x</marquee>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
  '<textarea><img title="</textarea><img src=x onerror=alert(1)>"></textarea>',
  '<template><img src=x onerror=alert(1)></template>',
  '<xmp><img title="</xmp><img src=x onerror=alert(1)>"></xmp>',
  '<title><img title="</title><img src=x onerror=alert(1)>"></title>',
  '<p title="--><img src=x onerror=alert(1)>"><!--</p>-->',
  '<![CDATA[<img src=x onerror=alert(1)>]]>',
  '<?xml version="1.0"?><?php echo 1 ?>',
  '<a\u0000 href="javascript:alert(1)">x</a><img/src=x/onerror=alert(1)>',
  '<p lang="x" onload="alert(1)" dir="ltr\' onmouseover=alert(1)">x',
  '<q cite="javascript:alert(1)">x</q><del cite="javascript:alert(1)">x</del>',
  '<plaintext><script>alert(1)</script>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '<<script>alert(1)//<</script>',
  '<a href="https://b.example/"><a href="javascript:alert(1)">x</a></a>',
  `<${'p '.repeat(200)}onclick=alert(1)>x</p>`,
];

const allowedTags = new Set(
  (
    'a abbr b bdi br cite code del dfn em i ins kbd mark q s samp small strong sub sup u var wbr ' +
    'blockquote dd dl dt h3 h4 h5 h6 hr li ol p pre ul'
  ).split(' '),
);

function elements(markup: string): Dom.Element[] {
  const below = (node: Dom.Node): Dom.Element[] =>
    'childNodes' in node
      ? node.childNodes.flatMap((each) => ('tagName' in each ? [each, ...below(each)] : below(each)))
      : [];
  return below(parseFragment(markup));
}

function expectHarmless(markup: string): void {
  for (const { tagName, attrs } of elements(markup)) {
    expect(allowedTags).toContain(tagName);
    for (const { name, value } of attrs) {
      expect(['href', 'rel', 'dir', 'lang', 'title']).toContain(name);
      if (name === 'href') expect(value).toMatch(/^https?:\/\//);
    }
  }
}

describe('WR-12 HTML of a stranger', () => {
  test.each(attacks)('%s does no harm', (attack) => {
    expectHarmless(cleanHtml(attack, base));
    expectHarmless(cleanHtml(`<div><table><tr><td>${attack}`, base));
    const found = factsOf(link + entry(`<div class="e-content">Hello ${attack}</div>`));
    expectHarmless(found.content?.html ?? '');
  });

  test('an attack in an attribute does no harm, whatever the element', () => {
    for (const tag of [...allowedTags, 'img', 'svg', 'form', 'body', 'unknown-element']) {
      const attributes = [
        'href',
        'src',
        'style',
        'onclick',
        'action',
        'cite',
        'class',
        'id',
        'srcset',
        'title',
      ];
      const text = attributes.map((name) => `${name}='"><script>alert(1)</script>${bad}'`).join(' ');
      expectHarmless(cleanHtml(`<${tag} ${text}>x</${tag}>`, base));
    }
  });

  test('text that looks like markup stays text', () => {
    expect(cleanHtml('&lt;b&gt; 1 &lt; 2', base)).toBe('&lt;b&gt; 1 &lt; 2');
  });

  test('what reads well stays', () => {
    expect(cleanHtml('<h1>A</h1><p>One <em>two</em></p><ul><li>three</li></ul>', base)).toBe(
      '<h3>A</h3><p>One <em>two</em></p><ul><li>three</li></ul>',
    );
  });

  test('pictures and recordings are not loaded', () => {
    expect(cleanHtml('a<img src="https://b.example/p.png"><video src="/v"></video>', base)).toBe('a');
  });

  test('a link vouches for nothing, whatever it says', () => {
    expect(cleanHtml('<a href="/x" rel="me author" target="_blank">x</a>', base)).toBe(
      '<a href="https://ann.example/x" rel="nofollow ugc noopener">x</a>',
    );
  });
});
