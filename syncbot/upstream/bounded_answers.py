"""Answers of servers that are read whole, up to a bound: a small one may unpack to more than memory holds."""

from __future__ import annotations

from typing import Any

import requests
from requests.adapters import HTTPAdapter

#: The bytes of an answer at most, unpacked. The longest page of the public index has some 50 MB.
LARGEST = 256 << 20


class BoundedAdapter(HTTPAdapter):
    """Raises requests.exceptions.ContentDecodingError for a longer answer; a streamed one is its reader's."""

    def send(
        self, request: requests.PreparedRequest, stream: bool = False, *args: Any, **options: Any
    ) -> requests.Response:
        """The response to a request, read whole unless it is streamed."""
        response = super().send(request, stream, *args, **options)
        if not stream:
            content = bytearray()
            for part in response.iter_content(1 << 16):
                content += part
                if len(content) > LARGEST:
                    response.close()
                    raise requests.exceptions.ContentDecodingError(
                        f"the answer has more than {LARGEST >> 20} MiB"
                    )
            response._content = bytes(content)
        return response
