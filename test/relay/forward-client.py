"""Posts a form through a forward proxy, with nothing but the standard library: proxy, file of the CA, URL."""

import ssl
import sys
import urllib.request

proxy, ca_file, url = sys.argv[1:4]
context = ssl.create_default_context(cafile=ca_file)
# The default from Python 3.13 on.
context.verify_flags |= ssl.VERIFY_X509_STRICT
opener = urllib.request.build_opener(
    urllib.request.ProxyHandler({"http": proxy, "https": proxy}),
    urllib.request.HTTPSHandler(context=context),
)
print(opener.open(url, data=b"name=Ada", timeout=20).read().decode())
