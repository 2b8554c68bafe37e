// `import 'fragreel-viewer/react'` makes <fragreel-viewer> known to JSX of React 19 and later.

import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type { FragreelViewer, FragreelViewerAttributes } from './fragreel-viewer';

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'fragreel-viewer': DetailedHTMLProps<HTMLAttributes<FragreelViewer>, FragreelViewer> & FragreelViewerAttributes;
    }
  }
}
