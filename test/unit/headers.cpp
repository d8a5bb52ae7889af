// The target test-headers (cmake/SkeinTests.cmake) precompiles what all unit tests include, and has to have a file.
